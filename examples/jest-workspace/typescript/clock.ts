export type Zone = 'utc' | 'local';

let zone: Zone = 'utc';

export function use(next: Zone): void {
  zone = next;
}

export function reset(): void {
  zone = 'utc';
}

export function label(hour: number): string {
  return `${hour}:00 ${zone}`;
}
