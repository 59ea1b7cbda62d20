from bots_sdk.house_bots.greedy import GreedyBot


class DenierBot(GreedyBot):
    version = "1"
