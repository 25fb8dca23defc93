import { Zip, ZipPassThrough } from 'fflate';

/** A ZIP archive of the files in their order, uncompressed: PDFs are compressed already. */
export async function* zipped(
  files: AsyncIterable<{ readonly name: string | null; readonly content: Buffer }>,
): AsyncGenerator<Buffer> {
  let ready: Buffer[] = [];
  const archive = new Zip((error, data) => {
    if (error) throw error;
    ready.push(Buffer.from(data));
  });
  const take = () => {
    const taken = ready;
    ready = [];
    return taken;
  };
  for await (const { name, content } of files) {
    const file = new ZipPassThrough(name ?? 'file');
    archive.add(file);
    file.push(content, true);
    yield* take();
  }
  archive.end();
  yield* take();
}
