// One event stream a tab. Says at once when it is lost, or when nothing has come for five seconds.

const SILENCE_MS = 5000;
const RETRY_MS = 3000;
const LOST = "This page has lost its link to the host. What it shows may be out of date.";

export class TableLink {
  constructor({ onState, onDisplay, onLost, onBack }) {
    Object.assign(this, { onState, onDisplay, onLost, onBack });
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    this.tab = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    this.lost = "";
    this.heardAt = performance.now();
    setInterval(() => this.look(), 250);
  }

  get address() {
    return `/events?tab=${this.tab}`;
  }

  open() {
    clearTimeout(this.again);
    if (this.source) this.source.close();
    const source = (this.source = new EventSource(this.address));
    source.addEventListener("state", (event) => this.heard(source, () => this.onState(JSON.parse(event.data))));
    source.addEventListener("display", (event) => this.heard(source, () => this.onDisplay(event.data)));
    source.addEventListener("beat", () => this.heard(source, () => {}));
    source.addEventListener("error", () => this.failed(source));
  }

  heard(source, act) {
    if (source !== this.source) return;
    this.heardAt = performance.now();
    if (this.lost) {
      this.lost = "";
      this.onBack();
    }
    act();
  }

  failed(source) {
    if (source !== this.source) return;
    this.lose(LOST);
    // The browser tries again by itself unless the answer was a refusal, whose words are then asked for.
    if (source.readyState === EventSource.CLOSED) this.explain();
  }

  async explain() {
    const stop = new AbortController();
    try {
      const answer = await fetch(this.address, { signal: stop.signal });
      if (!answer.ok) this.lose((await answer.json()).problem);
    } catch {
      this.lose(LOST);
    }
    stop.abort();
    this.again = setTimeout(() => this.open(), RETRY_MS);
  }

  look() {
    if (performance.now() - this.heardAt > SILENCE_MS) {
      this.lose(LOST);
      // A connection that is dead without an error is replaced.
      if (performance.now() - this.heardAt > 3 * SILENCE_MS) {
        this.heardAt = performance.now() - SILENCE_MS - 1;
        this.open();
      }
    }
  }

  lose(why) {
    if (this.lost === why) return;
    this.lost = why;
    this.onLost(why);
  }
}
