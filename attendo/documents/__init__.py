"""Lines and files through a translator: read, translate, write, and go on after any kind of end."""
