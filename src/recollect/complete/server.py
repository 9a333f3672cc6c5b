"""What is said when a server of a language model fails?"""

from recollect.endpoint import About
from recollect.errors import CompleterError

WRITING = About("a language model's server", "a text", "RECOLLECT_SUMMARIZER_KEY", CompleterError)
