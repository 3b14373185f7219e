"""What claims share: small and real models and their training, measuring, pictures, texts, stored evidence."""
