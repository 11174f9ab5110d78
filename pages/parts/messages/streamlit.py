"""Words that Streamlit writes itself and has no setting for: where they stand -> English -> Chinese.

A ``*`` stands for anything, and stays as it is.  A place is a CSS selector; the words are looked for in its texts, its
label, its placeholder and its hover text, and nowhere else: a column of a table may be called Open or Search, too.
"""

from __future__ import annotations

_DATAFRAME = {
    "Show/hide columns": "顯示／隱藏欄位",
    "Download as CSV": "下載為 CSV",
    "Search": "搜尋",
    "Fullscreen": "全螢幕",
    "Close fullscreen": "結束全螢幕",
    "Add row": "新增一列",
    "Delete row(s)": "刪除所選的列",
    "Clear selection": "取消選取",
    "Copy to clipboard": "複製到剪貼簿",
}

PLACES: dict[str, dict[str, str]] = {
    # around the page
    "[data-testid=stSkipToContent]": {"Skip to main content": "跳到主要內容"},
    "[data-testid=stSidebar]": {"Sidebar": "側邊欄"},
    "[data-testid=stExpandSidebarButton]": {"Expand sidebar": "展開側邊欄"},
    "[data-testid=stSidebarCollapseButton] button": {"Collapse sidebar": "收合側邊欄"},
    "[data-testid=stTopNav]": {"App pages": "頁面"},
    "[data-testid=stMainMenuButton]": {"Main menu": "主選單"},
    "[data-testid=stMainMenuList], [data-testid=stThemeSwitcher], [data-testid=stMainMenuPopover] *": {
        "Main menu": "主選單",
        "Copy version to clipboard": "複製版本",
        "Theme": "主題",
        "System": "跟隨系統",
        "Light": "淺色",
        "Dark": "深色",
        "Print": "列印",
        "Record screen": "錄製畫面",
        "Stop recording": "停止錄製",
        "Cancel recording": "取消錄製",
        "Made with Streamlit v": "以 Streamlit 製作，版本 ",
    },
    "[data-testid=stStatusWidget], [data-testid=stStatusWidget] *": {
        "Running...": "執行中…",
        "Stop": "停止",
        "Stopping...": "停止中…",
        "Connecting": "連線中",
        "Connecting to Streamlit server": "正在連線到伺服器",
    },
    "[data-testid=stDialog] [data-testid=stMarkdownContainer] p, [role=dialog] h2, [role=dialog] div": {
        "Connection error": "連線錯誤",
        "Streamlit server is not responding. Are you connected to the internet?": "伺服器沒有回應。網路是否已連線？",
        "Connection timed out.": "連線逾時。",
    },
    "[role=dialog] button": {"Close": "關閉"},
    "[data-testid=stToastContainer], [data-testid=stToastContainer] button": {
        "Close": "關閉",
        "Notifications": "通知",
    },
    # beside any element
    "[data-testid=stTooltipIcon] button": {"Help for *": "說明：*", "Help": "說明"},
    "[data-testid=stHeaderActionElements] a": {"Link to heading": "此標題的連結"},
    "[data-testid=stCode] button": {"Copy to clipboard": "複製到剪貼簿"},
    "[data-testid=stProgress] [role=progressbar]": {"progress": "進度"},
    # fields
    "[data-testid=InputInstructions] span": {
        "Press Enter to apply": "按 Enter 套用",
        "Press ⌘+Enter to apply": "按 ⌘+Enter 套用",
        "Press Ctrl+Enter to apply": "按 Ctrl+Enter 套用",
        "Press Enter to submit form": "按 Enter 送出",
        "Press ⌘+Enter to submit form": "按 ⌘+Enter 送出",
        "Press Ctrl+Enter to submit form": "按 Ctrl+Enter 送出",
    },
    "input[role=combobox]": {
        "Choose an option": "請選擇",
        "Choose options": "請選擇",
        "No options to select": "無選項",
    },
    "[role=group] > button": {"Open": "開啟選單", "Clear all": "全部清除", "Clear value": "清除"},
    "[data-testid=stMultiSelectTagsContainer] [role=group]": {"Selected values": "已選的項目"},
    "[data-testid=stMultiSelectTagsContainer] button": {"Remove *": "移除 *"},
    "[role=listbox] > [role=option]:only-child": {
        "No results": "沒有符合的項目",
        "Select all": "全選",
    },
    "[data-testid=stNumberInputContainer] button": {
        "Decrement": "減少",
        "Increment": "增加",
        "Clear value": "清除",
    },
    # files
    "[data-testid=stFileUploaderDropzone], [data-testid=stFileUploaderDropzone] *": {
        "file upload": "上傳檔案",
        "Upload": "上傳",
        "Add files": "加入檔案",
        "Drag and drop a file here": "將檔案拖放到這裡",
        "Drag and drop files here": "將檔案拖放到這裡",
        "* per file": "單一檔案上限 *",
    },
    "[data-testid=stFileUploader] *": {"add icon": "加入"},
    "[data-testid=stFileUploaderFileErrorMessage], [data-testid=stFileUploaderFileErrorMessage] *": {
        "File must be * or smaller.": "檔案不得超過 *。",
        "* files are not allowed.": "不接受 * 檔案。",
        "File size is too small.": "檔案太小。",
    },
    "[data-testid=stFileUploaderFile] button, [data-testid=stFileChip] button": {"Remove *": "移除 *"},
    # tables
    "[data-testid=stElementToolbar] button, [data-testid=stTooltipContent] *": _DATAFRAME,
    "[data-testid=stDataFrameColumnMenu] [role=menuitem], [data-testid=stDataFrameColumnMenu] [role=menu]": {
        "Dataframe column menu": "欄位選單",
        "Copy column name": "複製欄名",
        "Sort ascending": "遞增排序",
        "Sort descending": "遞減排序",
        "Autosize": "自動調整欄寬",
        "Pin column": "固定此欄",
        "Unpin column": "取消固定",
        "Hide column": "隱藏此欄",
        "Format": "格式",
        "Statistics": "統計",
    },
    "[data-testid=stDataFrameColumnMenu] button": {"Copy column name": "複製欄名"},
    "[data-testid=stDataFrameColumnFormattingMenu] [role=menuitem]": {
        "Automatic": "自動",
        "Localized": "依地區",
        "Plain": "一般",
        "Compact": "精簡",
        "Dollar": "美元",
        "Euro": "歐元",
        "Yen": "日圓",
        "Percent": "百分比",
        "Scientific": "科學記號",
        "Accounting": "會計",
        "Distance": "距今",
        "Calendar": "日曆",
        "Duration": "時間長度",
    },
    "[data-testid=stDataFrameColumnVisibilityMenu] *": {"Select all": "全選", "(index)": "（列號）"},
    ".gdg-search-bar, .gdg-search-bar *": {
        "Type to search": "輸入以搜尋",
        "Previous Result": "上一個",
        "Next Result": "下一個",
        "Close Search": "關閉搜尋",
        "* result": "* 個結果",
        "* results": "* 個結果",
    },
}
