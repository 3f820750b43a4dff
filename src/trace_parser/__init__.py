from agent_gym.trace_parser import *
