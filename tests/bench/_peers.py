"""Random playouts of gin rummy in another library, run by that library's own interpreter: `_peers.py PEER SECONDS SEED`.

Prints the player decisions and the processor seconds they took, set-up left out.
"""

import gc
import random
import sys
import time


def openspiel(seconds: float, rng: random.Random) -> tuple[int, float]:
    """OpenSpiel's C++ gin rummy, driven from Python; the deals are played by chance and are not counted."""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    decisions, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.chance_outcomes())[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
    return decisions, time.process_time() - start


def rlcard(seconds: float, rng: random.Random) -> tuple[int, float]:
    """RLCard's gin rummy with its own random agents; every step of the environment is one decision."""
    import rlcard as library
    from rlcard.agents import RandomAgent

    env = library.make("gin-rummy", config={"seed": rng.randrange(1 << 30)})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])
    decisions, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        before = env.timestep
        env.run(is_training=False)
        decisions += env.timestep - before
    return decisions, time.process_time() - start


if __name__ == "__main__":
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)  # as ours
    measure = {"openspiel": openspiel, "rlcard": rlcard}[sys.argv[1]]
    print(*measure(float(sys.argv[2]), random.Random(int(sys.argv[3]))))
