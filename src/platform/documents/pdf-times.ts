/** The PDF with fixed times of creation and change, of the same length: the same page is then the same bytes. */
export function withoutTimes(pdf: Buffer): Buffer {
  return Buffer.from(
    pdf.toString('latin1').replace(/(\/(?:CreationDate|ModDate) \(D:)\d{14}/g, '$120260101000000'),
    'latin1',
  );
}
