import { Readable } from 'node:stream';
import { expect } from 'chai';
import { decodedText } from '#src/platform/files/decoded-text.js';

const text = `id,name\n${'D1,Zoë 😀\n'.repeat(30_000)}`;
const files = {
  'UTF-8': Buffer.from(text),
  'UTF-16': Buffer.from(`\uFEFF${text}`, 'utf16le'),
};

describe('the text of a file', () => {
  for (const [encoding, file] of Object.entries(files))
    it(`is in parts of at most 64 KiB, also if the file is one chunk of ${encoding}`, async () => {
      const parts: string[] = await Readable.from(decodedText(Readable.from([file]))).toArray();
      expect(parts.join('')).to.equal(text);
      expect(Math.max(...parts.map((part) => part.length))).to.be.at.most(64 * 1024);
    });
});
