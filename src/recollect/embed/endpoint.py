"""What is said when an embedding server fails?"""

from recollect.endpoint import About
from recollect.errors import EmbedderError

EMBEDDING = About("an embedding server", "embeddings", "RECOLLECT_EMBED_KEY", EmbedderError)
