class Tickets {
  #next = 1;

  draw() {
    return this.#next++;
  }

  reset() {
    this.#next = 1;
  }
}

exports.tickets = new Tickets();
