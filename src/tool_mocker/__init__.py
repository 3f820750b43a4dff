from agent_gym.tool_mocker import *
