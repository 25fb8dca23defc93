/** The interface of the engine's decimals on floats: wrong cents, and the speed to compare with. */
export class Decimal {
  static readonly zero = new Decimal(0);
  static readonly one = new Decimal(1);

  private constructor(private readonly value: number) {}

  static parse(text: string): Decimal | null {
    const value = text === '' ? Number.NaN : Number(text);
    return Number.isFinite(value) ? new Decimal(value) : null;
  }

  static of(value: string | number | Decimal): Decimal {
    return value instanceof Decimal ? value : new Decimal(Number(value));
  }

  plus(other: Decimal): Decimal {
    return new Decimal(this.value + other.value);
  }

  minus(other: Decimal): Decimal {
    return new Decimal(this.value - other.value);
  }

  negated(): Decimal {
    return new Decimal(-this.value);
  }

  times(other: Decimal): Decimal {
    return new Decimal(this.value * other.value);
  }

  dividedBy(divisor: Decimal): Decimal {
    return new Decimal(this.value / divisor.value);
  }

  compare(other: Decimal): -1 | 0 | 1 {
    return this.value < other.value ? -1 : this.value > other.value ? 1 : 0;
  }

  equals(other: Decimal): boolean {
    return this.value === other.value;
  }

  isLessThan(other: Decimal): boolean {
    return this.value < other.value;
  }

  sign(): -1 | 0 | 1 {
    return this.value < 0 ? -1 : this.value > 0 ? 1 : 0;
  }

  isZero(): boolean {
    return this.value === 0;
  }

  absolute(): Decimal {
    return new Decimal(Math.abs(this.value));
  }

  rounded(places: number): Decimal {
    const unit = 10 ** places;
    return new Decimal(Math.round(this.value * unit) / unit);
  }

  toNumber(): number {
    return this.value;
  }

  toString(): string {
    return String(this.value);
  }
}

export function minimum(a: Decimal, b: Decimal): Decimal {
  return b.isLessThan(a) ? b : a;
}

export function maximum(a: Decimal, b: Decimal): Decimal {
  return a.isLessThan(b) ? b : a;
}

export function sum(values: Iterable<Decimal>): Decimal {
  let total = Decimal.zero;
  for (const value of values) total = total.plus(value);
  return total;
}
