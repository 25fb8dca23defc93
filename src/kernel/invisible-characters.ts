/** Characters that programs display as nothing, such as zero-width spaces, soft hyphens and variation selectors. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

export function withoutInvisible(text: string): string {
  return text.replace(invisible, '');
}
