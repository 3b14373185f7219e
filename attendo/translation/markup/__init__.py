"""Text with markup through the translator: HTML, XML, and whatever has tags among its words."""
