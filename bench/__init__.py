"""How fast is Recollect, beside its peers and its limits? `python -m bench` answers, and writes docs/performance.md."""
