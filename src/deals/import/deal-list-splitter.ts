import { Failure, invalid } from '../../kernel/failure.js';
import { assertUtf8 } from '../../platform/http/json-body.js';

const maxRestBytes = 64 * 1024;
const maxItemBytes = 1024 * 1024;

/**
 * Splits the list `deals` of a JSON document into its members while the document arrives. It finds only where
 * members begin and end; each member, and at the end the rest of the document, is parsed by JSON.parse, which checks
 * the grammar and is faster than a streaming parser. At most one member is in memory.
 */
export class DealListSplitter {
  private depth = 0;
  private inText = false;
  private escaped = false;
  private inList = false;
  private count = 0;
  private lists = 0;
  private readonly open: Buffer[] = [];
  private openBytes = 0;
  private rest = '';

  /** Returns the members that end in this chunk. */
  push(chunk: Buffer): string[] {
    const members: string[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.inText) this.readText(byte);
      else if (byte === quote) this.inText = true;
      else if (this.isBoundary(byte)) start = this.cut(chunk, start, at, members);
    }
    this.hold(chunk.subarray(start));
    return members;
  }

  /** Ends what is open at a boundary. Returns where the next part starts. */
  private cut(chunk: Buffer, start: number, at: number, members: string[]): number {
    const byte = chunk[at];
    if (byte === openBracket) {
      this.hold(chunk.subarray(start, at + 1));
      this.enterList();
      return at + 1;
    }
    this.hold(chunk.subarray(start, at));
    this.endMember(members, byte !== comma);
    return byte === comma ? at + 1 : at;
  }

  private readText(byte: number): void {
    if (this.escaped) this.escaped = false;
    else if (byte === backslash) this.escaped = true;
    else if (byte === quote) this.inText = false;
  }

  /** Counts brackets. Returns whether the byte begins a list that may be the deals, or ends a member of the deals. */
  private isBoundary(byte: number): boolean {
    switch (byte) {
      case openBrace:
      case openBracket:
        this.depth += 1;
        return byte === openBracket && this.depth === 2 && !this.inList;
      case closeBrace:
      case closeBracket:
        this.depth -= 1;
        return this.inList && this.depth === 1;
      case comma:
        return this.inList && this.depth === 2;
      default:
        return false;
    }
  }

  /** Returns the document with an empty list of deals. */
  end(): string {
    if (!this.inList) this.appendRest();
    return this.rest;
  }

  private hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.openBytes += bytes.length;
    if (this.openBytes + this.rest.length > maxRestBytes && !this.inList) {
      throw invalid({
        path: '',
        message: 'must be an object with a list named deals and, optionally, dateFormat',
      });
    }
    if (this.openBytes > maxItemBytes)
      throw invalid({ path: 'deals', message: `row ${this.count + 1} is larger than 1 MiB` });
    // The reader reuses its chunks, so the bytes are copied.
    this.open.push(Buffer.from(bytes));
  }

  private enterList(): void {
    this.appendRest();
    this.inList = /(?<!\\)"deals"\s*:\s*\[$/.test(this.rest);
    if (!this.inList) return;
    this.lists += 1;
    if (this.lists > 1) throw invalid({ path: 'deals', message: 'must be present only once' });
  }

  private endMember(members: string[], last: boolean): void {
    const member = this.flushOpenDeal();
    if (last) this.inList = false;
    const isEmptyList = last && this.count === 0 && member.trim() === '';
    if (isEmptyList) return;
    this.count += 1;
    members.push(member);
  }

  private appendRest(): void {
    this.rest += this.flushOpenDeal();
  }

  private flushOpenDeal(): string {
    const bytes = Buffer.concat(this.open);
    assertUtf8(bytes);
    const text = bytes.toString('utf8');
    this.open.length = 0;
    this.openBytes = 0;
    return text;
  }
}

/** Parses JSON text from the client; a syntax error is a 400. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('invalid_json', `${what} is not valid JSON.`);
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
