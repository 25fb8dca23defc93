/** The vendor's error for an invalid query. */
export class SoqlError extends Error {
  constructor(
    readonly errorCode: 'MALFORMED_QUERY' | 'INVALID_FIELD' | 'INVALID_TYPE' | 'QUERY_TOO_COMPLICATED',
    message: string,
  ) {
    super(message);
  }
}

interface Literal {
  readonly value: string | number | boolean | null;
  readonly isQuoted: boolean;
  readonly isTime: boolean;
}

type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'LIKE' | 'IN' | 'NOT IN' | 'INCLUDES' | 'EXCLUDES';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | {
      readonly kind: 'comparison';
      readonly path: readonly string[];
      readonly operator: Operator;
      readonly literals: readonly Literal[];
    }
  /** A field whose value another query returns. */
  | {
      readonly kind: 'within';
      readonly path: readonly string[];
      readonly isNegated: boolean;
      readonly query: string;
    };

interface Selected {
  readonly path: readonly string[];
  readonly aggregate: string | null;
  readonly alias: string | null;
}

const tokenPattern =
  /\s+|'(?:[^'\\\n]|\\.)*'|\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))?|-?\d+(?:\.\d+)?|[A-Za-z_][\w.]*|<=|>=|!=|<>|[=<>(),]/y;
const clauses = /^(FROM|WHERE|GROUP|ORDER|LIMIT|OFFSET)$/i;
const comparisons = new Set(['=', '!=', '<', '<=', '>', '>=', 'LIKE', 'INCLUDES', 'EXCLUDES']);

/** Parses a query of the vendor's language. It has neither comments nor joins. */
export class SoqlReader {
  private readonly tokens: { readonly text: string; readonly start: number }[] = [];
  private at = 0;

  constructor(private readonly text: string) {
    for (let position = 0; position < text.length; ) {
      tokenPattern.lastIndex = position;
      const [token] = tokenPattern.exec(text) ?? malformed(text.slice(position));
      if (token.trim() !== '') this.tokens.push({ text: token, start: position });
      position += token.length;
    }
  }

  query() {
    this.expect('SELECT');
    const isCount = this.isCount();
    const select = isCount ? [] : this.list(() => this.selected());
    this.expect('FROM');
    const from = this.next();
    const where = this.accept('WHERE') ? this.condition() : null;
    const groupBy = this.accept('GROUP') ? this.listAfterBy(() => this.path()) : [];
    const orderBy = this.accept('ORDER') ? this.listAfterBy(() => this.sort()) : [];
    const limit = this.accept('LIMIT') ? Number(this.next()) : null;
    const offset = this.accept('OFFSET') ? Number(this.next()) : 0;
    if (this.peek() !== '') malformed(this.peek());
    return { isCount, select, from, where, groupBy, orderBy, limit, offset };
  }

  /** `SELECT COUNT() FROM`, which has no columns. */
  private isCount(): boolean {
    const [first, second, third] = this.tokens.slice(this.at, this.at + 3).map(({ text }) => text);
    if (first?.toUpperCase() !== 'COUNT' || second !== '(' || third !== ')') return false;
    this.at += 3;
    return true;
  }

  private selected(): Selected {
    const name = this.next();
    if (!this.accept('(')) return { path: this.readPath(name), aggregate: null, alias: null };
    const argument = this.next();
    this.expect(')');
    const call = name.toUpperCase();
    if (call === 'FIELDS') return { path: [`FIELDS(${argument.toUpperCase()})`], aggregate: null, alias: null };
    if (call === 'CONVERTCURRENCY' || call === 'TOLABEL' || call === 'FORMAT')
      return { path: this.readPath(argument), aggregate: null, alias: null };
    if (!['COUNT', 'SUM', 'MIN', 'MAX', 'AVG'].includes(call)) malformed(name);
    const following = this.peek();
    const alias = /^[A-Za-z_]\w*$/.test(following) && !clauses.test(following) ? this.next() : null;
    return { path: this.readPath(argument), aggregate: call, alias };
  }

  private condition(): Condition {
    const parts = [this.negation()];
    const word = this.peek().toUpperCase();
    if (word !== 'AND' && word !== 'OR') return parts[0] as Condition;
    while (this.accept(word)) parts.push(this.negation());
    // AND and OR side by side need parentheses.
    if (/^(AND|OR)$/i.test(this.peek())) malformed(this.peek());
    return { kind: word === 'AND' ? 'and' : 'or', parts };
  }

  private negation(): Condition {
    if (this.accept('NOT')) return { kind: 'not', part: this.negation() };
    if (!this.accept('(')) return this.comparison();
    const inner = this.condition();
    this.expect(')');
    return inner;
  }

  private comparison(): Condition {
    const path = this.path();
    const isNegated = this.accept('NOT');
    if (isNegated || this.peek().toUpperCase() === 'IN') {
      this.expect('IN');
      return this.membership(path, isNegated);
    }
    const written = this.next().toUpperCase();
    const operator = written === '<>' ? '!=' : written;
    if (!comparisons.has(operator)) malformed(written);
    const isList = operator === 'INCLUDES' || operator === 'EXCLUDES';
    return {
      kind: 'comparison',
      path,
      operator: operator as Operator,
      literals: isList ? this.literals() : [this.literal()],
    };
  }

  private membership(path: readonly string[], isNegated: boolean): Condition {
    const opening = this.tokens[this.at + 1];
    if (opening?.text.toUpperCase() !== 'SELECT')
      return { kind: 'comparison', path, operator: isNegated ? 'NOT IN' : 'IN', literals: this.literals() };
    this.expect('(');
    for (let depth = 1; depth > 0; ) {
      const token = this.next();
      if (token === '') malformed('the end of the query');
      if (token === '(') depth += 1;
      if (token === ')') depth -= 1;
    }
    const closing = this.tokens[this.at - 1];
    return { kind: 'within', path, isNegated, query: this.text.slice(opening.start, closing?.start) };
  }

  private literals(): Literal[] {
    this.expect('(');
    const found = this.list(() => this.literal());
    this.expect(')');
    return found;
  }

  private literal(): Literal {
    const token = this.next();
    if (token.startsWith("'"))
      return { value: token.slice(1, -1).replace(/\\(.)/gs, '$1'), isQuoted: true, isTime: false };
    if (/^\d{4}-/.test(token)) return { value: token, isQuoted: false, isTime: true };
    if (/^-?\d/.test(token)) return { value: Number(token), isQuoted: false, isTime: false };
    const word = token.toLowerCase();
    if (word === 'null') return { value: null, isQuoted: false, isTime: false };
    if (word === 'true' || word === 'false') return { value: word === 'true', isQuoted: false, isTime: false };
    return malformed(token);
  }

  private sort() {
    const path = this.path();
    const isDescending = this.accept('DESC');
    if (!isDescending) this.accept('ASC');
    if (this.accept('NULLS')) this.next();
    return { path, isDescending };
  }

  private listAfterBy<T>(item: () => T): T[] {
    this.expect('BY');
    return this.list(item);
  }

  private list<T>(item: () => T): T[] {
    const items = [item()];
    while (this.accept(',')) items.push(item());
    return items;
  }

  private path(): readonly string[] {
    return this.readPath(this.next());
  }

  private readPath(token: string): readonly string[] {
    return /^[A-Za-z_][\w.]*$/.test(token) && !clauses.test(token) ? token.split('.') : malformed(token);
  }

  private peek(): string {
    return this.tokens[this.at]?.text ?? '';
  }

  private next(): string {
    const token = this.peek();
    this.at += 1;
    return token;
  }

  private accept(word: string): boolean {
    if (this.peek().toUpperCase() !== word) return false;
    this.at += 1;
    return true;
  }

  private expect(word: string): void {
    if (!this.accept(word)) malformed(this.peek());
  }
}

function malformed(token: string): never {
  throw new SoqlError('MALFORMED_QUERY', `unexpected token: ${token.slice(0, 200)}`);
}
