"""How is what is canonical kept in any database that speaks SQL? Written once, with a small dialect for each."""
