"""Write the sample data: `python -m agent_gym.sample [FOLDER]`, into `data` unless told otherwise."""

import sys

from agent_gym.sample import write_files

if __name__ == "__main__":
    for path in write_files(sys.argv[1] if len(sys.argv) > 1 else "data"):
        sys.stdout.write(f"{path}  {path.stat().st_size / 1e6:.2f} MB\n")
