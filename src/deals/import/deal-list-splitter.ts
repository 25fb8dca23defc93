import { Failure, invalid } from '../../kernel/failure.js';

const mostRestBytes = 64 * 1024;
const mostItemBytes = 1024 * 1024;

/**
 * Cuts the members of the list `deals` out of a JSON document as it comes in. It only looks for where they begin and
 * end: each member, and in the end the document without them, still has to pass JSON.parse, which knows the grammar
 * and is faster than any parser of tokens. No more than one member is held at a time.
 */
export class DealListSplitter {
  private depth = 0;
  private inText = false;
  private escaped = false;
  private inList = false;
  private seen = 0;
  private lists = 0;
  private readonly open: Buffer[] = [];
  private openBytes = 0;
  private rest = '';

  /** The members that end in this part of the document. */
  push(chunk: Buffer): string[] {
    const members: string[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.inText) {
        if (this.escaped) this.escaped = false;
        else if (byte === backslash) this.escaped = true;
        else if (byte === quote) this.inText = false;
        continue;
      }
      if (byte === quote) this.inText = true;
      else if (byte === openBrace || byte === openBracket) {
        this.depth += 1;
        if (byte !== openBracket || this.depth !== 2 || this.inList) continue;
        this.hold(chunk.subarray(start, at + 1));
        start = at + 1;
        this.enterList();
      } else if (byte === closeBrace || byte === closeBracket) {
        this.depth -= 1;
        if (!this.inList || this.depth !== 1) continue;
        this.hold(chunk.subarray(start, at));
        start = at;
        this.endMember(members, true);
        this.inList = false;
      } else if (byte === comma && this.inList && this.depth === 2) {
        this.hold(chunk.subarray(start, at));
        start = at + 1;
        this.endMember(members, false);
      }
    }
    this.hold(chunk.subarray(start));
    return members;
  }

  /** The document with its list of deals empty. */
  end(): string {
    if (!this.inList) this.keepRest();
    return this.rest;
  }

  private hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.openBytes += bytes.length;
    if (this.openBytes + this.rest.length > mostRestBytes && !this.inList) {
      throw invalid({
        path: '',
        message: 'must be an object that holds deals, a list, and at most dateFormat beside it',
      });
    }
    if (this.openBytes > mostItemBytes)
      throw invalid({ path: 'deals', message: `row ${this.seen + 1} is larger than 1 MiB` });
    // Chunks are used again by whoever reads them.
    this.open.push(Buffer.from(bytes));
  }

  private enterList(): void {
    this.keepRest();
    this.inList = /(?<!\\)"deals"\s*:\s*\[$/.test(this.rest);
    if (!this.inList) return;
    this.lists += 1;
    if (this.lists > 1) throw invalid({ path: 'deals', message: 'is given twice' });
  }

  private endMember(members: string[], last: boolean): void {
    const member = this.takeOpen();
    const isEmptyList = last && this.seen === 0 && member.trim() === '';
    if (isEmptyList) return;
    this.seen += 1;
    members.push(member);
  }

  private keepRest(): void {
    this.rest += this.takeOpen();
  }

  private takeOpen(): string {
    const text = Buffer.concat(this.open).toString('utf8');
    this.open.length = 0;
    this.openBytes = 0;
    return text;
  }
}

/** The value of JSON text, for which nobody but the sender is to blame. */
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
