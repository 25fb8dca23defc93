import { Zip, ZipPassThrough } from 'fflate';

/** The format stores the local time without a zone, so this local time gives the same bytes in every zone. */
const noTime = new Date(1980, 0, 1);

/**
 * A ZIP archive of the files in their order, uncompressed: PDFs are compressed already. All files have one constant time,
 * so the same files give the same bytes.
 */
export async function* zipFiles(
  files: AsyncIterable<{ readonly name: string | null; readonly content: Buffer }>,
): AsyncGenerator<Buffer> {
  let ready: Buffer[] = [];
  const archive = new Zip((error, data) => {
    if (error) throw error;
    ready.push(Buffer.from(data));
  });
  const drain = () => {
    const chunks = ready;
    ready = [];
    return chunks;
  };
  for await (const { name, content } of files) {
    const file = new ZipPassThrough(name ?? 'file');
    file.mtime = noTime;
    archive.add(file);
    file.push(content, true);
    yield* drain();
  }
  archive.end();
  yield* drain();
}
