/** Tools of which one has one at a time, by what they are for. */

const TOOLS: Readonly<Record<string, string>> = {
  editor:
    'vim|neovim|nvim|emacs|doom emacs|helix|vs ?code|vscodium|visual studio code|visual studio|zed|sublime|sublime text|intellij|intellij idea|pycharm|webstorm|goland|rider|nano|kakoune|cursor|notepad\\+\\+',
  shell: 'bash|zsh|fish|nushell|powershell|tcsh|ksh',
  os: 'windows|mac ?os|os ?x|linux|ubuntu|kubuntu|debian|fedora|arch|arch linux|manjaro|nixos|linux mint|mint|pop!?_?os|opensuse|gentoo|freebsd|chromeos',
  browser: 'firefox|chrome|chromium|safari|brave|edge|microsoft edge|vivaldi|opera|librewolf',
  phone:
    'iphone|pixel|google pixel|galaxy|samsung galaxy|samsung|android phone|android|fairphone|oneplus|xiaomi|huawei|motorola|nokia|sony xperia|xperia',
  keyboard: 'qwerty|qwertz|azerty|dvorak|colemak|colemak-dh',
  'password manager': '1password|bitwarden|keepass|keepassxc|lastpass|dashlane|proton pass',
};

const PATTERNS = Object.entries(TOOLS).map(
  ([purpose, names]) =>
    [purpose, new RegExp(`^(?:${names})(?![\\p{L}\\p{N}])(?: (?:v?\\d[\\w.]*|pro|plus|max|ultra|mini|se|air|lts))*`, 'iu')] as const,
);

export interface NamedTool {
  readonly purpose: string;
  /** What follows it. */
  readonly rest: string;
}

export function toolAt(text: string): NamedTool | undefined {
  for (const [purpose, pattern] of PATTERNS) {
    const name = pattern.exec(text)?.[0];
    if (name !== undefined) return { purpose, rest: text.slice(name.length) };
  }
  return undefined;
}
