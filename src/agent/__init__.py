from agent_gym.agent import *
