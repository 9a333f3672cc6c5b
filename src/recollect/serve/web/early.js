// Before anything is painted: the theme that was chosen by hand, so that nothing flashes.
try {
  const theme = localStorage.getItem("recollect-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  document.documentElement.dataset.storage = "none";
}
