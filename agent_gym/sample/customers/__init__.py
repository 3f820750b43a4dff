"""The customers: who they are, how they word things, how they react."""

from agent_gym.sample.customers.customer import Customer

__all__ = ["Customer"]
