"""What stands in for the vendor's libraries, driver and test infrastructure."""
