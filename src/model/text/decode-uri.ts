/** A text without its percent escapes; the text itself if they are not valid, or no UTF-8. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
