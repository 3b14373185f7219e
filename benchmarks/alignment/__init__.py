"""Which source words is a word made from? 100 pairs of sentences, aligned by hand, and what each head says of them."""
