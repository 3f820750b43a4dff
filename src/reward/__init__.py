from agent_gym.reward import *
