"""What a workflow file says, and what follows for starting it: whether it selects a job, and what it would harm."""
