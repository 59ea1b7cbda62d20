// Where a film stands: stepping, playing, speeds. Tells its listener; draws nothing.

const BEAT = 900; // milliseconds a frame stays at speed 1

export class Player {
  /** `deals` are the frames at which deals begin; `onChange` is called whenever position or playing changed. */
  constructor(length, deals, onChange) {
    this.length = length;
    this.deals = deals;
    this.onChange = onChange;
    this.at = 0;
    this.speed = 1;
    this.timer = null;
  }

  get playing() {
    return this.timer !== null;
  }

  get last() {
    return this.length - 1;
  }

  /** Go to a frame; positions outside the film end at its edge. */
  seek(at) {
    const to = Math.min(Math.max(Math.trunc(at) || 0, 0), this.last);
    if (to !== this.at) {
      this.at = to;
      this.onChange();
    }
  }

  step(by) {
    this.pause();
    this.seek(this.at + by);
  }

  /** To the beginning of the next deal, or of this one or the one before. */
  chapter(by) {
    this.pause();
    const ahead = this.deals.find((start) => start > this.at);
    const behind = this.deals.filter((start) => start < this.at).at(-1);
    this.seek(by > 0 ? (ahead ?? this.last) : (behind ?? 0));
  }

  toggle() {
    if (this.playing) {
      this.pause();
    } else {
      this.play();
    }
  }

  play() {
    if (this.at >= this.last) {
      this.at = 0;
    }
    this.timer = setTimeout(() => this.tick(), 0);
    this.onChange();
  }

  tick() {
    if (this.at >= this.last) {
      this.pause();
      return;
    }
    this.timer = setTimeout(() => this.tick(), BEAT / this.speed);
    this.seek(this.at + 1);
  }

  pause() {
    if (this.playing) {
      clearTimeout(this.timer);
      this.timer = null;
      this.onChange();
    }
  }
}
