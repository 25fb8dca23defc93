import { expect } from 'chai';
import { removeHidden } from '#src/platform/mcp/hidden-characters.js';

describe('the texts that an agent reads', () => {
  it('have no character that a person does not see', () => {
    const invisible = ['\u{e0041}', '\u200b', '\u200d', '\u2060', '\u202e', '\u2066', '\ufeff', '\u00ad', '\u0007'];
    for (const character of invisible)
      expect(
        removeHidden({ [`na${character}me`]: [`Ac${character}me`] }),
        character.codePointAt(0)?.toString(16),
      ).to.deep.equal({
        name: ['Acme'],
      });
    expect(removeHidden('Zürich\t東京\nעברית')).to.equal('Zürich\t東京\nעברית');
  });
});
