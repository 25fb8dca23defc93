import { Zip, ZipPassThrough } from 'fflate';

/** A ZIP archive of the files in their order, uncompressed: PDFs are compressed already. */
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
    archive.add(file);
    file.push(content, true);
    yield* drain();
  }
  archive.end();
  yield* drain();
}
