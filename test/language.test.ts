import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../..', import.meta.url));
const list = 'test/banned-words.txt';
const scanned = [
  ...['src', 'workers', 'migrations', 'embedded-postgres', 'fakes', 'demo', 'test', 'bench', 'docs', 'web'],
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
];
/** The text of the requirements is prescribed. */
const excluded = new Set(['test/requirements/requirements.md']);

interface BannedWord {
  readonly pattern: RegExp;
  readonly replacement: string;
}

/** Each line is a regular expression and, after ` # `, its replacement. */
function readBannedWords(): BannedWord[] {
  const lines = readFileSync(path.join(root, list), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [pattern = '', replacement = ''] = line.split(' # ');
      return { pattern: new RegExp(pattern.trim(), 'g'), replacement: replacement.trim() };
    });
}

function filesIn(place: string): string[] {
  const absolute = path.join(root, place);
  if (statSync(absolute).isFile()) return [place];
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|md)$/.test(name) && !name.includes('node_modules'))
    .map((name) => path.join(place, name));
}

describe('the language of the project', () => {
  const bannedWords = readBannedWords();

  it('has a replacement for every banned word', () => {
    expect(bannedWords).not.to.deep.equal([]);
    expect(bannedWords.filter(({ replacement }) => replacement === '')).to.deep.equal([]);
  });

  it(`uses no word of ${list}`, () => {
    const hits = scanned
      .flatMap(filesIn)
      .filter((file) => !excluded.has(file))
      .flatMap((file) => {
        const text = readFileSync(path.join(root, file), 'utf8');
        return bannedWords.flatMap(({ pattern, replacement }) =>
          [...text.matchAll(pattern)].map(({ 0: word, index }) => {
            const line = text.slice(0, index).split('\n').length;
            return `${file}:${line}: "${word}", write: ${replacement}`;
          }),
        );
      });
    expect(hits).to.deep.equal([]);
  });
});
