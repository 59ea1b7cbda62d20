"""Texts that try to break out of a page, upset its layout or mislead its reader."""

SHORT = "<script>window.hacked=1</script>"
ATTRIBUTE = '"><img src=x onerror=window.hacked=1>'
TEMPLATE = "{{7*7}}{% debug %}</title><b>'\"&amp;"
# A right-to-left override, a zero-width space, a line break, a control character, and a mark that turns text round.
MARKS = "\u202egnip\u200b\u2028a\x07b\u2066\nend"
ARABIC = "لاعب الورق 7"
WIDE = "W" * 40
LONG = ("<svg onload=window.hacked=1>" + "𝕎" * 200) * 50
ZALGO = "Z" + "\u0301" * 30

NAMES = (SHORT[:40], ATTRIBUTE[:40], TEMPLATE[:40], MARKS[:40], ARABIC, WIDE)
NOTES = (SHORT, ATTRIBUTE * 3, MARKS * 20, "x" * 10_000, "شكرا <b>bold</b> \u202e", ZALGO * 30)
