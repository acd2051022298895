"""What stands in for the vendor's libraries, driver, test infrastructure and compiler."""
