let items = [];

export function add(item) {
  items.push(item);
}

export function count() {
  return items.length;
}

export function clear() {
  items = [];
}
