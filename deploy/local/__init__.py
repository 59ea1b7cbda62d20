"""The whole house on one machine: a supervisor, PostgreSQL and Valkey from their wheels, and the services."""
