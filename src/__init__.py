from agent_gym import *
