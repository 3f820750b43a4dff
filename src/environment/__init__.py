from agent_gym.environment import *
