"""The command `phaseten`: for people who write bots."""

import argparse
import sys
from collections.abc import Sequence

from bots_sdk import cli_case, cli_check, cli_new, cli_play, cli_run, cli_submit, cli_validate, cli_verify
from bots_sdk.errors import SdkError
from bots_sdk.settings import prepare_grpc

DESCRIPTION = """\
Write bots that play Phase 10, try them out, and enter them in a league.

  phaseten new mybot                  write a small bot to begin with
  phaseten play mybot/bot.py greedy   let bots play each other, here
  phaseten check --server             try a bot in any language on a scripted referee
  phaseten submit mybot/bot.py --server URL --name "My bot"
                                      make it known to a site and enter a season
  phaseten run mybot/bot.py           connect it and play
  phaseten validate                   see whether it may play for ratings yet
  phaseten case quarrel.toml          settle a question about the rules
  phaseten verify game.replay         check the cards, moves and result of a game
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process: status 0 if all went well, 2 for wrong input, 1 for other trouble."""
    parser = argparse.ArgumentParser(
        prog="phaseten", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    for command in (cli_new, cli_play, cli_check, cli_submit, cli_run, cli_validate, cli_case, cli_verify):
        command.add(commands)
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help(sys.stderr)
        raise SystemExit(2)
    prepare_grpc()  # what gRPC's makers want to know of a lost connection, the commands tell in words of their own
    try:
        status: int = chosen.handler(chosen)
    except SdkError as error:
        print(f"phaseten: {error}", file=sys.stderr)
        status = error.exit_code
    except KeyboardInterrupt:
        print("\nphaseten: stopped", file=sys.stderr)
        status = 130
    except BrokenPipeError:  # whoever read our lines has had enough
        sys.stderr.close()
        status = 0
    raise SystemExit(status)


if __name__ == "__main__":
    main()
