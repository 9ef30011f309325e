"""What names of persons look like in scripts other than Latin: weak evidence beside a field's name and the texts' shape.

Lists are of the commonest names of a language (census tables name them), not of anybody's data.
"""

from __future__ import annotations

import re

SURNAME = "surname"
GIVEN = "given"

# The hundred commonest Chinese surnames cover 85 in 100 people; Japanese and Korean lists are cut the same way.
_CHINESE = frozenset(
    "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林罗羅高郑鄭梁谢謝宋唐许許邓鄧冯馮韩韓曹曾彭萧蕭蔡潘田董袁于余叶葉"
    "蒋蔣杜苏蘇魏程吕呂丁沈任姚卢盧傅钟鍾姜崔谭譚廖范汪陆陸金石戴贾賈韦韋夏邱方侯邹鄒熊孟秦白江阎閻薛尹段雷黎史龙龍陶贺賀"
    "顾顧毛郝龚龔邵万萬钱錢严嚴覃武莫孔向汤湯"
)
_JAPANESE = frozenset(
    """
    佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邉 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本
    井上 木村 林 斎藤 齋藤 清水 山崎 森 池田 橋本 阿部 石川 山下 中島 石井 小川 前田
    岡田 長谷川 藤田 後藤 近藤 村上 遠藤 青木 坂本 斉藤 福田 太田 西村 藤井 金子 岡本
    藤原 三浦 中野 中川 原田 松田 竹内 小野 田村 中山 和田 石田 森田 上田 原 内田 柴田
    酒井 宮崎 横山 高木 安藤 宮本 大野 小島 工藤 谷口 今井 高田 増田 丸山 杉山 村田 大塚
    新井 小山 平野 藤本 河野 上野 野口 武田 松井 千葉 岩崎 菅原 木下 久保 佐野 野村 松尾
    市川 菊地 杉本 古川 大西 島田 水野 桜井 高野 渡部 吉川 山内 西田 飯田 菊池 西川 小松
    北村 安田 五十嵐 川口 平田 関 中田 久保田 服部 東 岩田 土屋 川崎 福島 本田 樋口 秋山
    田口 永井 山中 中西 吉村 川上 石原 大橋 松岡 馬場 浜田 森本 星野 矢野 浅野 大久保
    吉岡
    """.split()  # noqa: SIM905 - a list of words
)
_KOREAN = frozenset(
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마"
    "길연위표명기반왕금옥육인맹제모탁국여어은편용"
)
_ARABIC = frozenset(
    """
    محمد أحمد احمد علي عمر عثمان خالد حسن حسين إبراهيم ابراهيم يوسف عبدالله عبد عبدالرحمن مصطفى محمود سعيد سعد فهد
    فيصل سلمان سلطان ناصر طارق كريم ياسر سامي رامي زيد هشام وليد ماجد نبيل جمال كمال فاطمة مريم عائشة خديجة زينب نور
    سارة ليلى هدى منى أمينة آمنة سلمى رنا دينا هبة ريم لينا ياسمين نادية سميرة حنان إيمان ايمان أسماء اسماء شيماء
    رقية بدر تركي عادل عماد أنس حمزة بلال آدم إسماعيل اسماعيل موسى عيسى داود صالح
    """.split()  # noqa: SIM905 - a list of words
)
_CYRILLIC = frozenset(
    """
    александр алексей анатолий андрей антон артем артём борис вадим валентин валерий василий виктор виталий владимир
    владислав вячеслав геннадий георгий григорий даниил денис дмитрий евгений егор иван игорь илья кирилл константин
    леонид максим михаил никита николай олег павел петр пётр роман руслан сергей станислав степан тимофей федор
    фёдор юрий ярослав александра алина алла анастасия анна валентина валерия вера вероника виктория галина дарья
    евгения екатерина елена елизавета жанна зоя инна ирина кристина ксения лариса лидия любовь людмила маргарита
    марина мария надежда наталия наталья нина оксана ольга полина раиса светлана софия софья тамара татьяна юлия яна
    тарас богдан олександр андрій сергій ігор олена ірина наталія марія оксана катерина юлія тетяна людмила георги
    димитър ивайло никола стоян мария десислава милош јован ана јелена марко
    """.split()  # noqa: SIM905 - a list of words
)
_PATRONYMIC = re.compile(r"(?:ович|евич|ьич|овна|евна|ична|инична|івна|йович|ивна)\Z")
_SLAVIC_SURNAME = re.compile(
    r"[а-яёіїє]{2,}(?:ова|ева|ёва|ина|ов|ев|ёв|ин|ский|ская|цкий|цкая|енко|чук|юк|ська|ський|ић)\Z"
)

_HAN = re.compile(r"[\u3400-\u9fff々]{2,6}\Z")
_HANGUL = re.compile(r"[가-힣]{2,4}\Z")
_KANA = re.compile(r"[\u3041-\u309f\u30a1-\u30ffー]{2,10}\Z")


def by_script(token: str) -> str | None:
    """`surname` for a whole East Asian name, or its family name, of the commonest; `given` for a word that is surely a
    name in Cyrillic or Arabic letters; None otherwise, and for all of ASCII."""
    if token.isascii():
        return None
    if _HAN.match(token):
        japanese = any(token[:size] in _JAPANESE for size in (3, 2, 1) if size <= len(token))
        return SURNAME if japanese or (token[0] in _CHINESE and len(token) <= 4) else None
    if _HANGUL.match(token):
        return SURNAME if token[0] in _KOREAN else None
    small = token.strip(".").lower()
    if small in _CYRILLIC or small in _ARABIC or _PATRONYMIC.search(small):
        return GIVEN
    return GIVEN if _SLAVIC_SURNAME.fullmatch(small) else None
