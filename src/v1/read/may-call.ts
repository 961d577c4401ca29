/** Whether a text can be a script that makes HTTP calls. */
export function mayCall(text: string): boolean {
  return /(?:^|[\s/"'`(;|&])(?:curl|wget|https?|xh)[\s"'\\]/.test(text) && text.includes('/');
}
