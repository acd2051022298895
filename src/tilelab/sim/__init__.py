"""What every simulated machine shares: errors, kernel Python, state records, caches."""
