// Rejects a commit whose subject is longer than 72 characters or does not begin with an area.
import { readFileSync } from 'node:fs';

const [subject = ''] = readFileSync(process.argv[2], 'utf8').split('\n');
const isGenerated = /^(Merge|Revert|fixup!|squash!) ?/.test(subject);
if (!isGenerated && (subject.length > 72 || !/^[a-z][a-z0-9-]*: [a-z`]/.test(subject))) {
  console.error(`"${subject}" must be "area: imperative summary" of at most 72 characters.`);
  process.exitCode = 1;
}
