"""What people and scripts get to see of a result."""
