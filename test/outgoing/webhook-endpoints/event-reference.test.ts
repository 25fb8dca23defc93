import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventData } from '#src/outgoing/events/event-data.js';

describe('docs/webhooks.md', () => {
  it('names the fields of the data of every type of event', () => {
    const page = readFileSync('docs/webhooks.md', 'utf8');
    for (const [type, schema] of Object.entries(eventData)) {
      const names = Object.keys(schema.shape).map((name) => `\`${name}\``);
      expect(page).to.include(`| \`${type}\` | ${names.join(', ')} |`);
    }
  });
});
