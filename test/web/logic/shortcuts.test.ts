import { expect } from 'chai';
import { hasLetterShortcuts, keyReader, type Shortcuts, setLetterShortcuts } from '#web/shared/keys/shortcuts.js';
import { memoryStorage } from './memory-storage.js';

interface Press {
  readonly key: string;
  readonly timeStamp?: number;
  readonly ctrlKey?: boolean;
  readonly metaKey?: boolean;
  readonly altKey?: boolean;
  readonly shiftKey?: boolean;
  readonly defaultPrevented?: boolean;
  readonly target?: object | null;
}

/** An element of which `closest` finds an ancestor only by the selector of typing. */
class Element {
  constructor(private readonly isTyping: boolean) {}
  closest(): object | null {
    return this.isTyping ? {} : null;
  }
}

describe('shortcuts', () => {
  const before = { localStorage: globalThis.localStorage, HTMLElement: globalThis.HTMLElement };
  let runs: string[];
  let prevented: string[];
  let press: (press: Press) => void;

  beforeEach(() => {
    Object.assign(globalThis, { localStorage: memoryStorage(), HTMLElement: Element });
    runs = [];
    prevented = [];
    const keys = ['j', '?', 'Escape', 'a', 'g d', 'g a'];
    const shortcuts = Object.fromEntries(keys.map((key) => [key, () => runs.push(key)])) as Shortcuts;
    const read = keyReader(() => shortcuts);
    press = (one) =>
      read({
        ...{ timeStamp: 0, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
        ...{ defaultPrevented: false, target: null, preventDefault: () => prevented.push(one.key) },
        ...one,
      } as unknown as KeyboardEvent);
  });

  after(() => {
    Object.assign(globalThis, before);
  });

  it('run for their key, and take it from the page', () => {
    for (const key of ['j', 'x', '?', 'Escape']) press({ key });
    expect(runs).to.deep.equal(['j', '?', 'Escape']);
    expect(prevented).to.deep.equal(['j', '?', 'Escape']);
  });

  for (const [title, presses, expected] of [
    ['two keys within a second', [{ key: 'g' }, { key: 'd', timeStamp: 999 }], ['g d']],
    ['a second key that is a shortcut itself', [{ key: 'g' }, { key: 'a', timeStamp: 10 }], ['g a']],
    ['two keys too late', [{ key: 'g' }, { key: 'a', timeStamp: 1000 }], ['a']],
    ['another key between them', [{ key: 'g' }, { key: 'x', timeStamp: 1 }, { key: 'd', timeStamp: 2 }], []],
    ['the first key twice', [{ key: 'g' }, { key: 'g', timeStamp: 1 }, { key: 'd', timeStamp: 2 }], ['g d']],
    ['the second key alone', [{ key: 'd' }], []],
    ['a shifted key', [{ key: '?', shiftKey: true }], ['?']],
    ['together with Control', [{ key: 'j', ctrlKey: true }], []],
    ['together with Command', [{ key: 'j', metaKey: true }], []],
    ['together with Alt', [{ key: 'j', altKey: true }], []],
    ['a key that something else has used', [{ key: 'j', defaultPrevented: true }], []],
    [
      'while a text is typed',
      [
        { key: 'j', target: new Element(true) },
        { key: 'Escape', target: new Element(true) },
      ],
      [],
    ],
    ['outside of inputs', [{ key: 'j', target: new Element(false) }], ['j']],
  ] as readonly (readonly [string, readonly Press[], readonly string[]])[])
    it(`${expected.length === 0 ? 'do not run' : `run ${expected}`}: ${title}`, () => {
      for (const one of presses) press(one);
      expect(runs).to.deep.equal(expected);
    });

  it('of single letters can be switched off, and on again', () => {
    setLetterShortcuts(false);
    expect(hasLetterShortcuts()).to.equal(false);
    for (const key of ['j', 'g', 'd', 'Escape']) press({ key });
    expect(runs).to.deep.equal(['Escape']);
    setLetterShortcuts(true);
    expect(hasLetterShortcuts()).to.equal(true);
    press({ key: 'j' });
    expect(runs).to.deep.equal(['Escape', 'j']);
  });
});
